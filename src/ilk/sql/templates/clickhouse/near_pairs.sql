-- All pairs of rows within the radius, 3 bits at most. Of five blocks (bits 0-12, 13-25, 26-38,
-- 39-51, 52-63) three bits leave two as they are: pairs are those rows that agree in one of ten
-- pairs of blocks, each a mask here, and then in all but so many bits.
CREATE VIEW {{near_pairs}} AS
SELECT a.{{id}} AS left_id, b.{{id}} AS right_id,
       hamming_distance(a.{{column}}, b.{{column}}) AS distance
FROM {{table}} AS a INNER JOIN {{table}} AS b
  ON bitAnd(toInt64(a.{{column}}), 67108863)
   = bitAnd(toInt64(b.{{column}}), 67108863)
WHERE a.{{id}} < b.{{id}} AND hamming_distance(a.{{column}}, b.{{column}}) <= {radius:Int64}
UNION DISTINCT
SELECT a.{{id}} AS left_id, b.{{id}} AS right_id,
       hamming_distance(a.{{column}}, b.{{column}}) AS distance
FROM {{table}} AS a INNER JOIN {{table}} AS b
  ON bitAnd(toInt64(a.{{column}}), 549688713215)
   = bitAnd(toInt64(b.{{column}}), 549688713215)
WHERE a.{{id}} < b.{{id}} AND hamming_distance(a.{{column}}, b.{{column}}) <= {radius:Int64}
UNION DISTINCT
SELECT a.{{id}} AS left_id, b.{{id}} AS right_id,
       hamming_distance(a.{{column}}, b.{{column}}) AS distance
FROM {{table}} AS a INNER JOIN {{table}} AS b
  ON bitAnd(toInt64(a.{{column}}), 4503049871564799)
   = bitAnd(toInt64(b.{{column}}), 4503049871564799)
WHERE a.{{id}} < b.{{id}} AND hamming_distance(a.{{column}}, b.{{column}}) <= {radius:Int64}
UNION DISTINCT
SELECT a.{{id}} AS left_id, b.{{id}} AS right_id,
       hamming_distance(a.{{column}}, b.{{column}}) AS distance
FROM {{table}} AS a INNER JOIN {{table}} AS b
  ON bitAnd(toInt64(a.{{column}}), -4503599627362305)
   = bitAnd(toInt64(b.{{column}}), -4503599627362305)
WHERE a.{{id}} < b.{{id}} AND hamming_distance(a.{{column}}, b.{{column}}) <= {radius:Int64}
UNION DISTINCT
SELECT a.{{id}} AS left_id, b.{{id}} AS right_id,
       hamming_distance(a.{{column}}, b.{{column}}) AS distance
FROM {{table}} AS a INNER JOIN {{table}} AS b
  ON bitAnd(toInt64(a.{{column}}), 549755805696)
   = bitAnd(toInt64(b.{{column}}), 549755805696)
WHERE a.{{id}} < b.{{id}} AND hamming_distance(a.{{column}}, b.{{column}}) <= {radius:Int64}
UNION DISTINCT
SELECT a.{{id}} AS left_id, b.{{id}} AS right_id,
       hamming_distance(a.{{column}}, b.{{column}}) AS distance
FROM {{table}} AS a INNER JOIN {{table}} AS b
  ON bitAnd(toInt64(a.{{column}}), 4503049938657280)
   = bitAnd(toInt64(b.{{column}}), 4503049938657280)
WHERE a.{{id}} < b.{{id}} AND hamming_distance(a.{{column}}, b.{{column}}) <= {radius:Int64}
UNION DISTINCT
SELECT a.{{id}} AS left_id, b.{{id}} AS right_id,
       hamming_distance(a.{{column}}, b.{{column}}) AS distance
FROM {{table}} AS a INNER JOIN {{table}} AS b
  ON bitAnd(toInt64(a.{{column}}), -4503599560269824)
   = bitAnd(toInt64(b.{{column}}), -4503599560269824)
WHERE a.{{id}} < b.{{id}} AND hamming_distance(a.{{column}}, b.{{column}}) <= {radius:Int64}
UNION DISTINCT
SELECT a.{{id}} AS left_id, b.{{id}} AS right_id,
       hamming_distance(a.{{column}}, b.{{column}}) AS distance
FROM {{table}} AS a INNER JOIN {{table}} AS b
  ON bitAnd(toInt64(a.{{column}}), 4503599560261632)
   = bitAnd(toInt64(b.{{column}}), 4503599560261632)
WHERE a.{{id}} < b.{{id}} AND hamming_distance(a.{{column}}, b.{{column}}) <= {radius:Int64}
UNION DISTINCT
SELECT a.{{id}} AS left_id, b.{{id}} AS right_id,
       hamming_distance(a.{{column}}, b.{{column}}) AS distance
FROM {{table}} AS a INNER JOIN {{table}} AS b
  ON bitAnd(toInt64(a.{{column}}), -4503049938665472)
   = bitAnd(toInt64(b.{{column}}), -4503049938665472)
WHERE a.{{id}} < b.{{id}} AND hamming_distance(a.{{column}}, b.{{column}}) <= {radius:Int64}
UNION DISTINCT
SELECT a.{{id}} AS left_id, b.{{id}} AS right_id,
       hamming_distance(a.{{column}}, b.{{column}}) AS distance
FROM {{table}} AS a INNER JOIN {{table}} AS b
  ON bitAnd(toInt64(a.{{column}}), -549755813888)
   = bitAnd(toInt64(b.{{column}}), -549755813888)
WHERE a.{{id}} < b.{{id}} AND hamming_distance(a.{{column}}, b.{{column}}) <= {radius:Int64}
-- No row, but an error where the radius is too large; as a subquery it comes before any row does.
UNION DISTINCT
SELECT d.{{id}}, d.{{id}}, 0 FROM {{table}} AS d
WHERE (
    SELECT throwIf(
        {radius:Int64} > 3, 'these blocks find all pairs up to 3 bits, but not all beyond'
    )
);
