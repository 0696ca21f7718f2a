-- All pairs of rows within the radius, 3 bits at most. Of five blocks (bits 0-12, 13-25, 26-38,
-- 39-51, 52-63) three bits leave two as they are: pairs are those rows that agree in one of ten
-- pairs of blocks, each a mask here, and then in all but so many bits.
CREATE OR REPLACE MACRO {{near_pairs}}(radius) AS TABLE
{{each mask, UNION}}
SELECT a.{{id}} AS left_id, b.{{id}} AS right_id,
       hamming_distance(a.{{column}}, b.{{column}}) AS distance
FROM {{table}} AS a JOIN {{table}} AS b
  ON fingerprint_signed(a.{{column}}) & {{mask}}
   = fingerprint_signed(b.{{column}}) & {{mask}}
 AND a.{{id}} < b.{{id}}
WHERE hamming_distance(a.{{column}}, b.{{column}}) <= radius
{{end}}
-- No row, but an error where the radius is too large: also where the blocks find nothing.
UNION ALL
SELECT NULL, NULL, NULL
WHERE CASE WHEN radius <= 3 THEN false ELSE
    error('these blocks find all pairs up to 3 bits, but not all up to ' || radius)::BOOLEAN END;
