-- The rows within the radius of q: through the indexes up to 7 bits, by a scan above. Block k may
-- differ in a bit (be flipped) from radius 4 + k on: distances of the blocks add up to the radius.
CREATE OR ALTER FUNCTION {{near}}(@q bigint, @radius int) RETURNS TABLE AS RETURN
WITH ilk_flip(bits) AS (
    SELECT bits FROM (VALUES (0), (1), (2), (4), (8), (16), (32), (64), (128), (256), (512), (1024),
        (2048), (4096), (8192), (16384), (32768)) AS listed(bits)
)
{{each block, UNION}}
SELECT d.{{id}} AS id, CAST(BIT_COUNT(d.{{column}} ^ @q) AS int) AS distance
FROM ilk_flip AS flip
INNER JOIN {{table}} AS d ON d.{{block}} = CAST({{shifted @q}} & 65535 AS int) ^ flip.bits
WHERE @radius <= 7 AND (flip.bits = 0 OR @radius >= {{flips}})
  AND BIT_COUNT(d.{{column}} ^ @q) <= @radius
{{end}}
UNION ALL
SELECT d.{{id}}, CAST(BIT_COUNT(d.{{column}} ^ @q) AS int)
FROM {{table}} AS d
WHERE @radius > 7 AND BIT_COUNT(d.{{column}} ^ @q) <= @radius;
GO
