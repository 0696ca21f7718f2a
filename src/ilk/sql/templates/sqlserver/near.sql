-- The rows within the radius of q: through the indexes up to 7 bits, by a scan above. Block k may
-- differ in a bit (be flipped) from radius 4 + k on: distances of the blocks add up to the radius.
CREATE FUNCTION {{near}}(@q bigint, @radius int) RETURNS TABLE AS RETURN
WITH ilk_flip(bits) AS (
    SELECT bits FROM (VALUES (0), (1), (2), (4), (8), (16), (32), (64), (128), (256), (512), (1024),
        (2048), (4096), (8192), (16384), (32768)) AS listed(bits)
)
SELECT d.{{id}} AS id, CAST(BIT_COUNT(d.{{column}} ^ @q) AS int) AS distance
FROM ilk_flip AS flip
INNER JOIN {{table}} AS d ON d.{{block0}} = CAST(@q & 65535 AS int) ^ flip.bits
WHERE @radius <= 7 AND (flip.bits = 0 OR @radius >= 4)
  AND BIT_COUNT(d.{{column}} ^ @q) <= @radius
UNION
SELECT d.{{id}} AS id, CAST(BIT_COUNT(d.{{column}} ^ @q) AS int) AS distance
FROM ilk_flip AS flip
INNER JOIN {{table}} AS d ON d.{{block1}} = CAST(RIGHT_SHIFT(@q, 16) & 65535 AS int) ^ flip.bits
WHERE @radius <= 7 AND (flip.bits = 0 OR @radius >= 5)
  AND BIT_COUNT(d.{{column}} ^ @q) <= @radius
UNION
SELECT d.{{id}} AS id, CAST(BIT_COUNT(d.{{column}} ^ @q) AS int) AS distance
FROM ilk_flip AS flip
INNER JOIN {{table}} AS d ON d.{{block2}} = CAST(RIGHT_SHIFT(@q, 32) & 65535 AS int) ^ flip.bits
WHERE @radius <= 7 AND (flip.bits = 0 OR @radius >= 6)
  AND BIT_COUNT(d.{{column}} ^ @q) <= @radius
UNION
SELECT d.{{id}} AS id, CAST(BIT_COUNT(d.{{column}} ^ @q) AS int) AS distance
FROM ilk_flip AS flip
INNER JOIN {{table}} AS d ON d.{{block3}} = CAST(RIGHT_SHIFT(@q, 48) & 65535 AS int) ^ flip.bits
WHERE @radius <= 7 AND (flip.bits = 0 OR @radius >= 7)
  AND BIT_COUNT(d.{{column}} ^ @q) <= @radius
UNION ALL
SELECT d.{{id}}, CAST(BIT_COUNT(d.{{column}} ^ @q) AS int)
FROM {{table}} AS d
WHERE @radius > 7 AND BIT_COUNT(d.{{column}} ^ @q) <= @radius;
GO
