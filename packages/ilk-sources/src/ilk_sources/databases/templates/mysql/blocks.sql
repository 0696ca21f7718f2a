DELIMITER //

-- Two fingerprints within 3 bits agree in one of four blocks of 16 bits; within 7 bits, in all but
-- one bit of such a block. Each block is a column that takes no space and shows only where it is
-- named. Its index has the fingerprint beside it, and the primary key as every index here has: with
-- the id as that key, a search reads nothing else. Where the columns are there, nothing is done.
DROP PROCEDURE IF EXISTS {{near_blocks}}//
CREATE PROCEDURE {{near_blocks}}() MODIFIES SQL DATA
BEGIN
    DECLARE CONTINUE HANDLER FOR 1060 BEGIN END;  -- A column of that name is there.
    ALTER TABLE {{table}}
        {{each block}}
        ADD COLUMN {{block}} SMALLINT UNSIGNED
            GENERATED ALWAYS AS ({{shifted {{column}}}} & 65535) VIRTUAL INVISIBLE,
        {{end}}
        ADD INDEX {{block0}} ({{block0}}, {{column}}),
        ADD INDEX {{block1}} ({{block1}}, {{column}}),
        ADD INDEX {{block2}} ({{block2}}, {{column}}),
        ADD INDEX {{block3}} ({{block3}}, {{column}});
END//
CALL {{near_blocks}}()//
DROP PROCEDURE {{near_blocks}}//

DELIMITER ;
