-- All pairs of rows within 3 bits; a view can take no radius, so this one has its own in its name.
-- Of five blocks (bits 0-12, 13-25, 26-38, 39-51, 52-63) three bits leave two as they are: pairs
-- are those rows that agree in one of ten pairs of blocks, and then in all but 3 bits.
DROP VIEW IF EXISTS {{near_pairs_3}};
CREATE VIEW {{near_pairs_3}} AS
WITH
ilk_block_pair(mask) AS (
    VALUES (0x0000000003ffffff), (0x0000007ffc001fff), (0x000fff8000001fff), (0xfff0000000001fff),
           (0x0000007fffffe000), (0x000fff8003ffe000), (0xfff0000003ffe000), (0x000ffffffc000000),
           (0xfff0007ffc000000), (0xffffff8000000000)
),
-- Kept as a table, for which SQLite makes an index of its own; an expression has none.
ilk_keyed(mask, key, id, fp) AS MATERIALIZED (
    SELECT p.mask, d.{{column}} & p.mask, d.{{id}}, d.{{column}}
    FROM ilk_block_pair AS p, {{table}} AS d
),
ilk_different(left_id, right_id, x) AS (
    SELECT a.id, b.id, (a.fp | b.fp) - (a.fp & b.fp)
    FROM ilk_keyed AS a JOIN ilk_keyed AS b ON a.mask = b.mask AND a.key = b.key AND a.id < b.id
),
ilk_counted(left_id, right_id, n) AS (
    SELECT left_id, right_id,
           (x & 0x1111111111111111) + (x >> 1 & 0x1111111111111111)
         + (x >> 2 & 0x1111111111111111) + (x >> 3 & 0x1111111111111111)
    FROM ilk_different
),
ilk_pair(left_id, right_id, distance) AS (
    SELECT left_id, right_id, (n + (n >> 4) & 0x0f0f0f0f0f0f0f0f) % 255 FROM ilk_counted
)
SELECT DISTINCT left_id, right_id, distance FROM ilk_pair WHERE distance <= 3;
