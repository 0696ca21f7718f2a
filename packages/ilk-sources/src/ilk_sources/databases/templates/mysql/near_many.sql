DELIMITER //

-- The same for many fingerprints at once, a JSON array; one that is given twice is answered once.
DROP PROCEDURE IF EXISTS {{near_many}}//
CREATE PROCEDURE {{near_many}}(queries JSON, radius INT) READS SQL DATA
BEGIN
    DECLARE flips JSON DEFAULT
        '[0,1,2,4,8,16,32,64,128,256,512,1024,2048,4096,8192,16384,32768]';
    WITH
    ilk_given AS (
        SELECT DISTINCT fingerprint_signed(listed.query) AS query
        FROM JSON_TABLE(
            queries, '$[*]' COLUMNS (query DECIMAL(20) PATH '$' ERROR ON ERROR)
        ) AS listed
    )
    {{each block, UNION}}
    SELECT given.query, d.{{id}} AS id, BIT_COUNT(d.{{column}} ^ given.query) AS distance
    FROM ilk_given AS given
    STRAIGHT_JOIN JSON_TABLE(flips, '$[*]' COLUMNS (bits INT PATH '$')) AS flip
    STRAIGHT_JOIN {{table}} AS d ON d.{{block}} = ({{shifted given.query}} & 65535) ^ flip.bits
    WHERE radius <= 7 AND (flip.bits = 0 OR radius >= {{flips}})
      AND BIT_COUNT(d.{{column}} ^ given.query) <= radius
    {{end}}
    UNION ALL
    SELECT given.query, d.{{id}} AS id, BIT_COUNT(d.{{column}} ^ given.query) AS distance
    FROM ilk_given AS given STRAIGHT_JOIN {{table}} AS d
    WHERE radius > 7 AND BIT_COUNT(d.{{column}} ^ given.query) <= radius;
END//

DELIMITER ;
