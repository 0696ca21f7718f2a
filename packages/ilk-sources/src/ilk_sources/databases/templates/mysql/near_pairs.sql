DELIMITER //

-- All pairs of rows within the radius, 3 bits at most. Of five blocks (bits 0-12, 13-25, 26-38,
-- 39-51, 52-63) three bits leave two as they are: pairs are those rows that agree in one of ten
-- pairs of blocks, each a mask here, and then in all but so many bits. MariaDB joins by an index or
-- not at all: rows whose bits occur twice are few, are kept as a table (what the LIMIT is for), and
-- get one.
DROP PROCEDURE IF EXISTS {{near_pairs}}//
CREATE PROCEDURE {{near_pairs}}(radius INT) READS SQL DATA
BEGIN
    IF radius > 3 THEN
        SIGNAL SQLSTATE '22023'
            SET MESSAGE_TEXT = 'these blocks find all pairs up to 3 bits, but not all beyond';
    END IF;
    {{each mask, UNION}}
    SELECT a.{{id}} AS left_id, b.id AS right_id, BIT_COUNT(a.{{column}} ^ b.fp) AS distance
    FROM {{table}} AS a STRAIGHT_JOIN (
        SELECT d.{{id}} AS id, d.{{column}} AS fp, shared.bits
        FROM {{table}} AS d STRAIGHT_JOIN (
            SELECT s.{{column}} & {{mask}} AS bits FROM {{table}} AS s
            GROUP BY s.{{column}} & {{mask}} HAVING COUNT(*) > 1
        ) AS shared ON shared.bits = d.{{column}} & {{mask}}
        LIMIT 18446744073709551615
    ) AS b ON b.bits = a.{{column}} & {{mask}} AND a.{{id}} < b.id
    WHERE BIT_COUNT(a.{{column}} ^ b.fp) <= radius
    {{end}};
END//

DELIMITER ;
