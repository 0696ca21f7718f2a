-- The rows within the radius of q, by a scan: DuckDB compares a million of them in milliseconds.
CREATE OR REPLACE MACRO {{near}}(q, radius) AS TABLE
SELECT d.{{id}} AS id, hamming_distance(d.{{column}}, fingerprint_signed(q)) AS distance
FROM {{table}} AS d
WHERE hamming_distance(d.{{column}}, fingerprint_signed(q)) <= radius;
