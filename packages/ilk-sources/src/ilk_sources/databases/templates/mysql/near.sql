DELIMITER //

-- The rows within the radius of q: through the indexes up to 7 bits, by a scan above.
DROP PROCEDURE IF EXISTS {{near}}//
CREATE PROCEDURE {{near}}(q DECIMAL(20), radius INT) READS SQL DATA
BEGIN
    DECLARE sought BIGINT DEFAULT fingerprint_signed(q);
    -- The ways to change at most one bit of a block. Block k may differ in a bit from radius 4 + k
    -- on: distances of the blocks add up to the radius.
    DECLARE flips JSON DEFAULT
        '[0,1,2,4,8,16,32,64,128,256,512,1024,2048,4096,8192,16384,32768]';
    IF radius > 7 THEN
        SELECT d.{{id}} AS id, BIT_COUNT(d.{{column}} ^ sought) AS distance
        FROM {{table}} AS d
        WHERE BIT_COUNT(d.{{column}} ^ sought) <= radius;
    ELSE
        {{each block, UNION}}
        SELECT d.{{id}} AS id, BIT_COUNT(d.{{column}} ^ sought) AS distance
        FROM JSON_TABLE(flips, '$[*]' COLUMNS (bits INT PATH '$')) AS flip
        STRAIGHT_JOIN {{table}} AS d ON d.{{block}} = ({{shifted sought}} & 65535) ^ flip.bits
        WHERE (flip.bits = 0 OR radius >= {{flips}}) AND BIT_COUNT(d.{{column}} ^ sought) <= radius
        {{end}};
    END IF;
END//

DELIMITER ;
