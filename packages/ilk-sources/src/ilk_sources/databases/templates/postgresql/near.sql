-- The values of block k (0 to 3) that a fingerprint within the radius of q may have there. A block
-- may differ in one bit from radius 4 + k on: distances of the blocks add up to the radius.
CREATE OR REPLACE FUNCTION fingerprint_probes(q bigint, k integer, radius integer)
RETURNS bigint[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN radius < 4 + k THEN ARRAY[(q >> 16 * k) & 65535] ELSE ARRAY[
    (q >> 16 * k) & 65535,
    (q >> 16 * k) & 65535 # 1, (q >> 16 * k) & 65535 # 2,
    (q >> 16 * k) & 65535 # 4, (q >> 16 * k) & 65535 # 8,
    (q >> 16 * k) & 65535 # 16, (q >> 16 * k) & 65535 # 32,
    (q >> 16 * k) & 65535 # 64, (q >> 16 * k) & 65535 # 128,
    (q >> 16 * k) & 65535 # 256, (q >> 16 * k) & 65535 # 512,
    (q >> 16 * k) & 65535 # 1024, (q >> 16 * k) & 65535 # 2048,
    (q >> 16 * k) & 65535 # 4096, (q >> 16 * k) & 65535 # 8192,
    (q >> 16 * k) & 65535 # 16384, (q >> 16 * k) & 65535 # 32768
] END;

-- The rows within the radius of q: through the indexes up to 7 bits, by a scan above. In the body
-- they are $1 (q) and $2 (radius): names could be those of columns. It is not STRICT, for such a
-- function would not be planned as a part of the query that calls it; a null finds nothing.
CREATE OR REPLACE FUNCTION {{near}}(q bigint, radius integer)
RETURNS TABLE (id {{table}}.{{id}}%TYPE, distance integer)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 10
BEGIN ATOMIC
    {{each block, UNION}}
    SELECT d.{{id}}, hamming_distance(d.{{column}}, $1)
    FROM {{table}} AS d
    WHERE $2 <= 7 AND {{shifted d.{{column}}}} & 65535 = ANY (fingerprint_probes($1, {{k}}, $2))
      AND hamming_distance(d.{{column}}, $1) <= $2
    {{end}}
    UNION ALL
    SELECT d.{{id}}, hamming_distance(d.{{column}}, $1)
    FROM {{table}} AS d
    WHERE $2 > 7 AND hamming_distance(d.{{column}}, $1) <= $2;
END;
