-- All pairs of rows within the radius, 3 bits at most. Of five blocks (bits 0-12, 13-25, 26-38,
-- 39-51, 52-63) three bits leave two as they are: pairs are those rows that agree in one of ten
-- pairs of blocks, each a mask here, and then in all but so many bits.
CREATE OR REPLACE VIEW {{near_pairs}} AS
{{each mask, UNION DISTINCT}}
SELECT a.{{id}} AS left_id, b.{{id}} AS right_id,
       hamming_distance(a.{{column}}, b.{{column}}) AS distance
FROM {{table}} AS a INNER JOIN {{table}} AS b
  ON bitAnd(toInt64(a.{{column}}), {{mask}})
   = bitAnd(toInt64(b.{{column}}), {{mask}})
WHERE a.{{id}} < b.{{id}} AND hamming_distance(a.{{column}}, b.{{column}}) <= {radius:Int64}
{{end}}
-- No row, but an error where the radius is too large; as a subquery it comes before any row does.
UNION DISTINCT
SELECT d.{{id}}, d.{{id}}, 0 FROM {{table}} AS d
WHERE (
    SELECT throwIf(
        {radius:Int64} > 3, 'these blocks find all pairs up to 3 bits, but not all beyond'
    )
);
