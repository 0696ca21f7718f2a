DELIMITER //

-- All pairs of rows within the radius, 3 bits at most. Of five blocks (bits 0-12, 13-25, 26-38,
-- 39-51, 52-63) three bits leave two as they are: pairs are those rows that agree in one of ten
-- pairs of blocks, each a mask here, and then in all but so many bits. MariaDB joins by an index or
-- not at all: rows whose bits occur twice are few, are kept as a table (what the LIMIT is for), and
-- get one.
CREATE PROCEDURE {{near_pairs}}(radius INT) READS SQL DATA
BEGIN
    IF radius > 3 THEN
        SIGNAL SQLSTATE '22023'
            SET MESSAGE_TEXT = 'these blocks find all pairs up to 3 bits, but not all beyond';
    END IF;
    SELECT a.{{id}} AS left_id, b.id AS right_id, BIT_COUNT(a.{{column}} ^ b.fp) AS distance
    FROM {{table}} AS a STRAIGHT_JOIN (
        SELECT d.{{id}} AS id, d.{{column}} AS fp, shared.bits
        FROM {{table}} AS d STRAIGHT_JOIN (
            SELECT s.{{column}} & 67108863 AS bits FROM {{table}} AS s
            GROUP BY s.{{column}} & 67108863 HAVING COUNT(*) > 1
        ) AS shared ON shared.bits = d.{{column}} & 67108863
        LIMIT 18446744073709551615
    ) AS b ON b.bits = a.{{column}} & 67108863 AND a.{{id}} < b.id
    WHERE BIT_COUNT(a.{{column}} ^ b.fp) <= radius
    UNION
    SELECT a.{{id}} AS left_id, b.id AS right_id, BIT_COUNT(a.{{column}} ^ b.fp) AS distance
    FROM {{table}} AS a STRAIGHT_JOIN (
        SELECT d.{{id}} AS id, d.{{column}} AS fp, shared.bits
        FROM {{table}} AS d STRAIGHT_JOIN (
            SELECT s.{{column}} & 549688713215 AS bits FROM {{table}} AS s
            GROUP BY s.{{column}} & 549688713215 HAVING COUNT(*) > 1
        ) AS shared ON shared.bits = d.{{column}} & 549688713215
        LIMIT 18446744073709551615
    ) AS b ON b.bits = a.{{column}} & 549688713215 AND a.{{id}} < b.id
    WHERE BIT_COUNT(a.{{column}} ^ b.fp) <= radius
    UNION
    SELECT a.{{id}} AS left_id, b.id AS right_id, BIT_COUNT(a.{{column}} ^ b.fp) AS distance
    FROM {{table}} AS a STRAIGHT_JOIN (
        SELECT d.{{id}} AS id, d.{{column}} AS fp, shared.bits
        FROM {{table}} AS d STRAIGHT_JOIN (
            SELECT s.{{column}} & 4503049871564799 AS bits FROM {{table}} AS s
            GROUP BY s.{{column}} & 4503049871564799 HAVING COUNT(*) > 1
        ) AS shared ON shared.bits = d.{{column}} & 4503049871564799
        LIMIT 18446744073709551615
    ) AS b ON b.bits = a.{{column}} & 4503049871564799 AND a.{{id}} < b.id
    WHERE BIT_COUNT(a.{{column}} ^ b.fp) <= radius
    UNION
    SELECT a.{{id}} AS left_id, b.id AS right_id, BIT_COUNT(a.{{column}} ^ b.fp) AS distance
    FROM {{table}} AS a STRAIGHT_JOIN (
        SELECT d.{{id}} AS id, d.{{column}} AS fp, shared.bits
        FROM {{table}} AS d STRAIGHT_JOIN (
            SELECT s.{{column}} & 18442240474082189311 AS bits FROM {{table}} AS s
            GROUP BY s.{{column}} & 18442240474082189311 HAVING COUNT(*) > 1
        ) AS shared ON shared.bits = d.{{column}} & 18442240474082189311
        LIMIT 18446744073709551615
    ) AS b ON b.bits = a.{{column}} & 18442240474082189311 AND a.{{id}} < b.id
    WHERE BIT_COUNT(a.{{column}} ^ b.fp) <= radius
    UNION
    SELECT a.{{id}} AS left_id, b.id AS right_id, BIT_COUNT(a.{{column}} ^ b.fp) AS distance
    FROM {{table}} AS a STRAIGHT_JOIN (
        SELECT d.{{id}} AS id, d.{{column}} AS fp, shared.bits
        FROM {{table}} AS d STRAIGHT_JOIN (
            SELECT s.{{column}} & 549755805696 AS bits FROM {{table}} AS s
            GROUP BY s.{{column}} & 549755805696 HAVING COUNT(*) > 1
        ) AS shared ON shared.bits = d.{{column}} & 549755805696
        LIMIT 18446744073709551615
    ) AS b ON b.bits = a.{{column}} & 549755805696 AND a.{{id}} < b.id
    WHERE BIT_COUNT(a.{{column}} ^ b.fp) <= radius
    UNION
    SELECT a.{{id}} AS left_id, b.id AS right_id, BIT_COUNT(a.{{column}} ^ b.fp) AS distance
    FROM {{table}} AS a STRAIGHT_JOIN (
        SELECT d.{{id}} AS id, d.{{column}} AS fp, shared.bits
        FROM {{table}} AS d STRAIGHT_JOIN (
            SELECT s.{{column}} & 4503049938657280 AS bits FROM {{table}} AS s
            GROUP BY s.{{column}} & 4503049938657280 HAVING COUNT(*) > 1
        ) AS shared ON shared.bits = d.{{column}} & 4503049938657280
        LIMIT 18446744073709551615
    ) AS b ON b.bits = a.{{column}} & 4503049938657280 AND a.{{id}} < b.id
    WHERE BIT_COUNT(a.{{column}} ^ b.fp) <= radius
    UNION
    SELECT a.{{id}} AS left_id, b.id AS right_id, BIT_COUNT(a.{{column}} ^ b.fp) AS distance
    FROM {{table}} AS a STRAIGHT_JOIN (
        SELECT d.{{id}} AS id, d.{{column}} AS fp, shared.bits
        FROM {{table}} AS d STRAIGHT_JOIN (
            SELECT s.{{column}} & 18442240474149281792 AS bits FROM {{table}} AS s
            GROUP BY s.{{column}} & 18442240474149281792 HAVING COUNT(*) > 1
        ) AS shared ON shared.bits = d.{{column}} & 18442240474149281792
        LIMIT 18446744073709551615
    ) AS b ON b.bits = a.{{column}} & 18442240474149281792 AND a.{{id}} < b.id
    WHERE BIT_COUNT(a.{{column}} ^ b.fp) <= radius
    UNION
    SELECT a.{{id}} AS left_id, b.id AS right_id, BIT_COUNT(a.{{column}} ^ b.fp) AS distance
    FROM {{table}} AS a STRAIGHT_JOIN (
        SELECT d.{{id}} AS id, d.{{column}} AS fp, shared.bits
        FROM {{table}} AS d STRAIGHT_JOIN (
            SELECT s.{{column}} & 4503599560261632 AS bits FROM {{table}} AS s
            GROUP BY s.{{column}} & 4503599560261632 HAVING COUNT(*) > 1
        ) AS shared ON shared.bits = d.{{column}} & 4503599560261632
        LIMIT 18446744073709551615
    ) AS b ON b.bits = a.{{column}} & 4503599560261632 AND a.{{id}} < b.id
    WHERE BIT_COUNT(a.{{column}} ^ b.fp) <= radius
    UNION
    SELECT a.{{id}} AS left_id, b.id AS right_id, BIT_COUNT(a.{{column}} ^ b.fp) AS distance
    FROM {{table}} AS a STRAIGHT_JOIN (
        SELECT d.{{id}} AS id, d.{{column}} AS fp, shared.bits
        FROM {{table}} AS d STRAIGHT_JOIN (
            SELECT s.{{column}} & 18442241023770886144 AS bits FROM {{table}} AS s
            GROUP BY s.{{column}} & 18442241023770886144 HAVING COUNT(*) > 1
        ) AS shared ON shared.bits = d.{{column}} & 18442241023770886144
        LIMIT 18446744073709551615
    ) AS b ON b.bits = a.{{column}} & 18442241023770886144 AND a.{{id}} < b.id
    WHERE BIT_COUNT(a.{{column}} ^ b.fp) <= radius
    UNION
    SELECT a.{{id}} AS left_id, b.id AS right_id, BIT_COUNT(a.{{column}} ^ b.fp) AS distance
    FROM {{table}} AS a STRAIGHT_JOIN (
        SELECT d.{{id}} AS id, d.{{column}} AS fp, shared.bits
        FROM {{table}} AS d STRAIGHT_JOIN (
            SELECT s.{{column}} & 18446743523953737728 AS bits FROM {{table}} AS s
            GROUP BY s.{{column}} & 18446743523953737728 HAVING COUNT(*) > 1
        ) AS shared ON shared.bits = d.{{column}} & 18446743523953737728
        LIMIT 18446744073709551615
    ) AS b ON b.bits = a.{{column}} & 18446743523953737728 AND a.{{id}} < b.id
    WHERE BIT_COUNT(a.{{column}} ^ b.fp) <= radius;
END//

DELIMITER ;
