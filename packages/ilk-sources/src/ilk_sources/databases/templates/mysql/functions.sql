DELIMITER //

-- The same 64 bits, whether they came as a signed or as an unsigned number: DECIMAL takes both.
DROP FUNCTION IF EXISTS fingerprint_signed//
CREATE FUNCTION fingerprint_signed(fingerprint DECIMAL(20)) RETURNS BIGINT DETERMINISTIC NO SQL
BEGIN
    IF fingerprint NOT BETWEEN -9223372036854775808 AND 18446744073709551615 THEN
        SIGNAL SQLSTATE '22003' SET MESSAGE_TEXT = 'a fingerprint has 64 bits, and this has more';
    END IF;
    IF fingerprint > 9223372036854775807 THEN
        RETURN fingerprint - 18446744073709551616;
    END IF;
    RETURN fingerprint;
END//

-- The number of bits in which two fingerprints differ, and the share of the 64 in which they agree.
-- Over many rows BIT_COUNT(a ^ b) gives the same, and spares the calls.
DROP FUNCTION IF EXISTS hamming_distance//
CREATE FUNCTION hamming_distance(a DECIMAL(20), b DECIMAL(20)) RETURNS INT DETERMINISTIC NO SQL
RETURN BIT_COUNT(fingerprint_signed(a) ^ fingerprint_signed(b))//

DROP FUNCTION IF EXISTS bit_agreement//
CREATE FUNCTION bit_agreement(a DECIMAL(20), b DECIMAL(20)) RETURNS DOUBLE DETERMINISTIC NO SQL
RETURN 1 - hamming_distance(a, b) / 64//

DROP FUNCTION IF EXISTS similarity//
CREATE FUNCTION similarity(a DECIMAL(20), b DECIMAL(20)) RETURNS DOUBLE DETERMINISTIC NO SQL
RETURN bit_agreement(a, b)//

-- The places in which two strings differ; what a shorter one lacks differs. Compared as bytes:
-- collations hold different characters equal.
DROP FUNCTION IF EXISTS ham_dist//
CREATE FUNCTION ham_dist(a TEXT CHARACTER SET utf8mb4, b TEXT CHARACTER SET utf8mb4)
RETURNS INT DETERMINISTIC NO SQL
BEGIN
    DECLARE both_have INT DEFAULT LEAST(CHAR_LENGTH(a), CHAR_LENGTH(b));
    DECLARE found INT DEFAULT ABS(CHAR_LENGTH(a) - CHAR_LENGTH(b));
    DECLARE place INT DEFAULT 1;
    WHILE place <= both_have DO
        SET found = found
            + (CAST(SUBSTR(a, place, 1) AS BINARY) <> CAST(SUBSTR(b, place, 1) AS BINARY));
        SET place = place + 1;
    END WHILE;
    RETURN found;
END//

DROP FUNCTION IF EXISTS HamDist//
CREATE FUNCTION HamDist(a TEXT CHARACTER SET utf8mb4, b TEXT CHARACTER SET utf8mb4)
RETURNS INT DETERMINISTIC NO SQL
RETURN ham_dist(a, b)//

-- The 64 bits as 64 binary digits, or as 16 hexadecimal ones; and back.
DROP FUNCTION IF EXISTS fingerprint_to_bits//
CREATE FUNCTION fingerprint_to_bits(fingerprint DECIMAL(20)) RETURNS CHAR(64) DETERMINISTIC NO SQL
RETURN LPAD(BIN(fingerprint_signed(fingerprint)), 64, '0')//

DROP FUNCTION IF EXISTS fingerprint_from_bits//
CREATE FUNCTION fingerprint_from_bits(bits TEXT) RETURNS BIGINT DETERMINISTIC NO SQL
BEGIN
    IF CHAR_LENGTH(bits) <> 64 OR bits REGEXP '[^01]' THEN
        SIGNAL SQLSTATE '22023' SET MESSAGE_TEXT = 'not 64 binary digits';
    END IF;
    RETURN fingerprint_signed(CONV(bits, 2, 10));
END//

DROP FUNCTION IF EXISTS fingerprint_to_hex//
CREATE FUNCTION fingerprint_to_hex(fingerprint DECIMAL(20)) RETURNS CHAR(16) DETERMINISTIC NO SQL
RETURN LOWER(LPAD(HEX(fingerprint_signed(fingerprint)), 16, '0'))//

DROP FUNCTION IF EXISTS fingerprint_from_hex//
CREATE FUNCTION fingerprint_from_hex(hex TEXT) RETURNS BIGINT DETERMINISTIC NO SQL
BEGIN
    IF CHAR_LENGTH(hex) <> 16 OR hex REGEXP '[^0-9A-Fa-f]' THEN
        SIGNAL SQLSTATE '22023' SET MESSAGE_TEXT = 'not 16 hexadecimal digits';
    END IF;
    RETURN fingerprint_signed(CONV(hex, 16, 10));
END//

DELIMITER ;
