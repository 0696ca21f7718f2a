-- All pairs of rows within the radius, 3 bits at most. Of five blocks (bits 0-12, 13-25, 26-38,
-- 39-51, 52-63) three bits leave two as they are: pairs are those rows that agree in one of ten
-- pairs of blocks, each a mask here, and then in all but so many bits.
CREATE MACRO {{near_pairs}}(radius) AS TABLE
SELECT a.{{id}} AS left_id, b.{{id}} AS right_id,
       hamming_distance(a.{{column}}, b.{{column}}) AS distance
FROM {{table}} AS a JOIN {{table}} AS b
  ON fingerprint_signed(a.{{column}}) & 67108863
   = fingerprint_signed(b.{{column}}) & 67108863
 AND a.{{id}} < b.{{id}}
WHERE hamming_distance(a.{{column}}, b.{{column}}) <= radius
UNION
SELECT a.{{id}} AS left_id, b.{{id}} AS right_id,
       hamming_distance(a.{{column}}, b.{{column}}) AS distance
FROM {{table}} AS a JOIN {{table}} AS b
  ON fingerprint_signed(a.{{column}}) & 549688713215
   = fingerprint_signed(b.{{column}}) & 549688713215
 AND a.{{id}} < b.{{id}}
WHERE hamming_distance(a.{{column}}, b.{{column}}) <= radius
UNION
SELECT a.{{id}} AS left_id, b.{{id}} AS right_id,
       hamming_distance(a.{{column}}, b.{{column}}) AS distance
FROM {{table}} AS a JOIN {{table}} AS b
  ON fingerprint_signed(a.{{column}}) & 4503049871564799
   = fingerprint_signed(b.{{column}}) & 4503049871564799
 AND a.{{id}} < b.{{id}}
WHERE hamming_distance(a.{{column}}, b.{{column}}) <= radius
UNION
SELECT a.{{id}} AS left_id, b.{{id}} AS right_id,
       hamming_distance(a.{{column}}, b.{{column}}) AS distance
FROM {{table}} AS a JOIN {{table}} AS b
  ON fingerprint_signed(a.{{column}}) & -4503599627362305
   = fingerprint_signed(b.{{column}}) & -4503599627362305
 AND a.{{id}} < b.{{id}}
WHERE hamming_distance(a.{{column}}, b.{{column}}) <= radius
UNION
SELECT a.{{id}} AS left_id, b.{{id}} AS right_id,
       hamming_distance(a.{{column}}, b.{{column}}) AS distance
FROM {{table}} AS a JOIN {{table}} AS b
  ON fingerprint_signed(a.{{column}}) & 549755805696
   = fingerprint_signed(b.{{column}}) & 549755805696
 AND a.{{id}} < b.{{id}}
WHERE hamming_distance(a.{{column}}, b.{{column}}) <= radius
UNION
SELECT a.{{id}} AS left_id, b.{{id}} AS right_id,
       hamming_distance(a.{{column}}, b.{{column}}) AS distance
FROM {{table}} AS a JOIN {{table}} AS b
  ON fingerprint_signed(a.{{column}}) & 4503049938657280
   = fingerprint_signed(b.{{column}}) & 4503049938657280
 AND a.{{id}} < b.{{id}}
WHERE hamming_distance(a.{{column}}, b.{{column}}) <= radius
UNION
SELECT a.{{id}} AS left_id, b.{{id}} AS right_id,
       hamming_distance(a.{{column}}, b.{{column}}) AS distance
FROM {{table}} AS a JOIN {{table}} AS b
  ON fingerprint_signed(a.{{column}}) & -4503599560269824
   = fingerprint_signed(b.{{column}}) & -4503599560269824
 AND a.{{id}} < b.{{id}}
WHERE hamming_distance(a.{{column}}, b.{{column}}) <= radius
UNION
SELECT a.{{id}} AS left_id, b.{{id}} AS right_id,
       hamming_distance(a.{{column}}, b.{{column}}) AS distance
FROM {{table}} AS a JOIN {{table}} AS b
  ON fingerprint_signed(a.{{column}}) & 4503599560261632
   = fingerprint_signed(b.{{column}}) & 4503599560261632
 AND a.{{id}} < b.{{id}}
WHERE hamming_distance(a.{{column}}, b.{{column}}) <= radius
UNION
SELECT a.{{id}} AS left_id, b.{{id}} AS right_id,
       hamming_distance(a.{{column}}, b.{{column}}) AS distance
FROM {{table}} AS a JOIN {{table}} AS b
  ON fingerprint_signed(a.{{column}}) & -4503049938665472
   = fingerprint_signed(b.{{column}}) & -4503049938665472
 AND a.{{id}} < b.{{id}}
WHERE hamming_distance(a.{{column}}, b.{{column}}) <= radius
UNION
SELECT a.{{id}} AS left_id, b.{{id}} AS right_id,
       hamming_distance(a.{{column}}, b.{{column}}) AS distance
FROM {{table}} AS a JOIN {{table}} AS b
  ON fingerprint_signed(a.{{column}}) & -549755813888
   = fingerprint_signed(b.{{column}}) & -549755813888
 AND a.{{id}} < b.{{id}}
WHERE hamming_distance(a.{{column}}, b.{{column}}) <= radius
-- No row, but an error where the radius is too large: also where the blocks find nothing.
UNION ALL
SELECT NULL, NULL, NULL
WHERE CASE WHEN radius <= 3 THEN false ELSE
    error('these blocks find all pairs up to 3 bits, but not all up to ' || radius)::BOOLEAN END;
