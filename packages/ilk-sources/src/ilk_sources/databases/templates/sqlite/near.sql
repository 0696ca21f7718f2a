-- The rows within :radius bits of :queries, one fingerprint or a JSON array of several; one that is
-- given twice is answered once. Through the indexes up to 7 bits, by a scan above. SQLite has no
-- XOR: it is (a | b) - (a & b).
WITH
ilk_query(q) AS (
    -- What is no signed 64-bit integer would be rounded; "integer overflow" is better than that.
    SELECT DISTINCT CASE
        WHEN typeof(value) IN ('integer', 'null') THEN value ELSE abs(-1 << 63)
    END
    FROM json_each(:queries)
),
-- The ways to change at most one bit of a block.
ilk_flip(bits) AS (
    VALUES (0), (1), (2), (4), (8), (16), (32), (64), (128), (256), (512), (1024), (2048), (4096),
           (8192), (16384), (32768)
),
-- Block k may differ in a bit from radius 4 + k on: distances of the blocks add up to the radius.
ilk_candidate(q, id, fp) AS (
    {{each block, UNION}}
    SELECT query.q, d.{{id}}, d.{{column}}
    FROM ilk_query AS query CROSS JOIN ilk_flip AS flip CROSS JOIN {{table}} AS d
    WHERE :radius <= 7 AND (flip.bits = 0 OR :radius >= {{flips}})
      AND {{shifted d.{{column}}}} & 65535
        = ({{shifted query.q}} & 65535 | flip.bits) - ({{shifted query.q}} & flip.bits)
    {{end}}
    UNION ALL
    SELECT query.q, d.{{id}}, d.{{column}}
    FROM ilk_query AS query CROSS JOIN {{table}} AS d
    WHERE :radius > 7
),
ilk_different(q, id, x) AS (SELECT q, id, (q | fp) - (q & fp) FROM ilk_candidate),
-- The bits that are set, counted in every four, then added up: 0x1111... marks one bit in four.
ilk_counted(q, id, n) AS (
    SELECT q, id,
           (x & 0x1111111111111111) + (x >> 1 & 0x1111111111111111)
         + (x >> 2 & 0x1111111111111111) + (x >> 3 & 0x1111111111111111)
    FROM ilk_different
),
ilk_near(query, id, distance) AS (
    SELECT q, id, (n + (n >> 4) & 0x0f0f0f0f0f0f0f0f) % 255 FROM ilk_counted
)
SELECT query, id, distance FROM ilk_near WHERE distance <= :radius
