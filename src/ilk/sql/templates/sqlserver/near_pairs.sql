-- All pairs of rows within the radius, 3 bits at most. Of five blocks (bits 0-12, 13-25, 26-38,
-- 39-51, 52-63) three bits leave two as they are: pairs are those rows that agree in one of ten
-- pairs of blocks, each a mask here, and then in all but so many bits.
CREATE FUNCTION {{near_pairs}}(@radius int) RETURNS TABLE AS RETURN
SELECT a.{{id}} AS left_id, b.{{id}} AS right_id,
       CAST(BIT_COUNT(a.{{column}} ^ b.{{column}}) AS int) AS distance
FROM {{table}} AS a INNER JOIN {{table}} AS b
  ON a.{{column}} & 67108863 = b.{{column}} & 67108863 AND a.{{id}} < b.{{id}}
WHERE BIT_COUNT(a.{{column}} ^ b.{{column}}) <= @radius
UNION
SELECT a.{{id}} AS left_id, b.{{id}} AS right_id,
       CAST(BIT_COUNT(a.{{column}} ^ b.{{column}}) AS int) AS distance
FROM {{table}} AS a INNER JOIN {{table}} AS b
  ON a.{{column}} & 549688713215 = b.{{column}} & 549688713215 AND a.{{id}} < b.{{id}}
WHERE BIT_COUNT(a.{{column}} ^ b.{{column}}) <= @radius
UNION
SELECT a.{{id}} AS left_id, b.{{id}} AS right_id,
       CAST(BIT_COUNT(a.{{column}} ^ b.{{column}}) AS int) AS distance
FROM {{table}} AS a INNER JOIN {{table}} AS b
  ON a.{{column}} & 4503049871564799 = b.{{column}} & 4503049871564799 AND a.{{id}} < b.{{id}}
WHERE BIT_COUNT(a.{{column}} ^ b.{{column}}) <= @radius
UNION
SELECT a.{{id}} AS left_id, b.{{id}} AS right_id,
       CAST(BIT_COUNT(a.{{column}} ^ b.{{column}}) AS int) AS distance
FROM {{table}} AS a INNER JOIN {{table}} AS b
  ON a.{{column}} & -4503599627362305 = b.{{column}} & -4503599627362305 AND a.{{id}} < b.{{id}}
WHERE BIT_COUNT(a.{{column}} ^ b.{{column}}) <= @radius
UNION
SELECT a.{{id}} AS left_id, b.{{id}} AS right_id,
       CAST(BIT_COUNT(a.{{column}} ^ b.{{column}}) AS int) AS distance
FROM {{table}} AS a INNER JOIN {{table}} AS b
  ON a.{{column}} & 549755805696 = b.{{column}} & 549755805696 AND a.{{id}} < b.{{id}}
WHERE BIT_COUNT(a.{{column}} ^ b.{{column}}) <= @radius
UNION
SELECT a.{{id}} AS left_id, b.{{id}} AS right_id,
       CAST(BIT_COUNT(a.{{column}} ^ b.{{column}}) AS int) AS distance
FROM {{table}} AS a INNER JOIN {{table}} AS b
  ON a.{{column}} & 4503049938657280 = b.{{column}} & 4503049938657280 AND a.{{id}} < b.{{id}}
WHERE BIT_COUNT(a.{{column}} ^ b.{{column}}) <= @radius
UNION
SELECT a.{{id}} AS left_id, b.{{id}} AS right_id,
       CAST(BIT_COUNT(a.{{column}} ^ b.{{column}}) AS int) AS distance
FROM {{table}} AS a INNER JOIN {{table}} AS b
  ON a.{{column}} & -4503599560269824 = b.{{column}} & -4503599560269824 AND a.{{id}} < b.{{id}}
WHERE BIT_COUNT(a.{{column}} ^ b.{{column}}) <= @radius
UNION
SELECT a.{{id}} AS left_id, b.{{id}} AS right_id,
       CAST(BIT_COUNT(a.{{column}} ^ b.{{column}}) AS int) AS distance
FROM {{table}} AS a INNER JOIN {{table}} AS b
  ON a.{{column}} & 4503599560261632 = b.{{column}} & 4503599560261632 AND a.{{id}} < b.{{id}}
WHERE BIT_COUNT(a.{{column}} ^ b.{{column}}) <= @radius
UNION
SELECT a.{{id}} AS left_id, b.{{id}} AS right_id,
       CAST(BIT_COUNT(a.{{column}} ^ b.{{column}}) AS int) AS distance
FROM {{table}} AS a INNER JOIN {{table}} AS b
  ON a.{{column}} & -4503049938665472 = b.{{column}} & -4503049938665472 AND a.{{id}} < b.{{id}}
WHERE BIT_COUNT(a.{{column}} ^ b.{{column}}) <= @radius
UNION
SELECT a.{{id}} AS left_id, b.{{id}} AS right_id,
       CAST(BIT_COUNT(a.{{column}} ^ b.{{column}}) AS int) AS distance
FROM {{table}} AS a INNER JOIN {{table}} AS b
  ON a.{{column}} & -549755813888 = b.{{column}} & -549755813888 AND a.{{id}} < b.{{id}}
WHERE BIT_COUNT(a.{{column}} ^ b.{{column}}) <= @radius
-- No row, but an error where the radius is too large: what is no number is shown by its cast.
UNION
SELECT d.{{id}}, d.{{id}}, 0 FROM {{table}} AS d
WHERE 0 = CASE WHEN @radius <= 3 THEN 1 ELSE
    CAST(CONCAT('these blocks find all pairs up to 3 bits, but not all up to ', @radius) AS int) END;
GO
