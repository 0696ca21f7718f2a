-- All pairs of rows within the radius, 3 bits at most. Of five blocks (bits 0-12, 13-25, 26-38,
-- 39-51, 52-63) three bits leave two as they are: pairs are those rows that agree in one of ten
-- pairs of blocks, each a mask here, and then in all but so many bits.
CREATE OR ALTER FUNCTION {{near_pairs}}(@radius int) RETURNS TABLE AS RETURN
{{each mask, UNION}}
SELECT a.{{id}} AS left_id, b.{{id}} AS right_id,
       CAST(BIT_COUNT(a.{{column}} ^ b.{{column}}) AS int) AS distance
FROM {{table}} AS a INNER JOIN {{table}} AS b
  ON a.{{column}} & {{mask}} = b.{{column}} & {{mask}} AND a.{{id}} < b.{{id}}
WHERE BIT_COUNT(a.{{column}} ^ b.{{column}}) <= @radius
{{end}}
-- No row, but an error where the radius is too large: what is no number is shown by its cast.
UNION
SELECT d.{{id}}, d.{{id}}, 0 FROM {{table}} AS d
WHERE 0 = CASE WHEN @radius <= 3 THEN 1 ELSE
    CAST(CONCAT('these blocks find all pairs up to 3 bits, but not all up to ', @radius) AS int) END;
GO
