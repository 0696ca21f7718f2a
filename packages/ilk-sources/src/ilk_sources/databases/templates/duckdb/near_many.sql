-- The same for many fingerprints at once; one that is given twice is answered once. Two within 3
-- bits agree in one of four blocks of 16 bits; within 7 bits, in all but one bit of such a block:
-- up to 7 bits the blocks are joined, above all is compared with all.
CREATE OR REPLACE MACRO {{near_many}}(queries, radius) AS TABLE
WITH
ilk_given AS (SELECT DISTINCT fingerprint_signed(unnest(queries)) AS query),
-- Block k may differ in a bit from radius 4 + k on: distances of the blocks add up to the radius.
ilk_probe AS (
    SELECT query, k, xor((query >> 16 * k) & 65535, bits) AS key
    FROM ilk_given, range(4) AS block(k),
         (SELECT 0 UNION ALL SELECT 1 << place FROM range(16) AS one(place)) AS flip(bits)
    WHERE radius <= 7 AND (bits = 0 OR radius >= 4 + k)
),
ilk_stored AS (SELECT d.{{id}} AS id, fingerprint_signed(d.{{column}}) AS fp FROM {{table}} AS d),
ilk_candidate AS (
    {{each block, UNION}}
    SELECT query, id, fp FROM ilk_probe JOIN ilk_stored ON k = {{k}} AND key = {{shifted fp}} & 65535
    {{end}}
    UNION ALL
    SELECT query, id, fp FROM ilk_given, ilk_stored WHERE radius > 7
)
SELECT query, id, hamming_distance(fp, query) AS distance
FROM ilk_candidate
WHERE hamming_distance(fp, query) <= radius;
