-- The same 64 bits as a signed number.
CREATE OR ALTER FUNCTION dbo.fingerprint_signed(@fingerprint decimal(20, 0)) RETURNS bigint
WITH RETURNS NULL ON NULL INPUT AS
BEGIN
    RETURN CAST(CASE
        WHEN @fingerprint BETWEEN 9223372036854775808 AND 18446744073709551615
        THEN @fingerprint - 18446744073709551616 ELSE @fingerprint
    END AS bigint);
END;
GO

-- The number of bits in which two fingerprints differ, and the share of the 64 in which they agree.
CREATE OR ALTER FUNCTION dbo.hamming_distance(@a bigint, @b bigint) RETURNS int
WITH RETURNS NULL ON NULL INPUT AS
BEGIN
    RETURN CAST(BIT_COUNT(@a ^ @b) AS int);
END;
GO

CREATE OR ALTER FUNCTION dbo.bit_agreement(@a bigint, @b bigint) RETURNS float
WITH RETURNS NULL ON NULL INPUT AS
BEGIN
    RETURN 1 - BIT_COUNT(@a ^ @b) / 64e0;
END;
GO

CREATE OR ALTER FUNCTION dbo.similarity(@a bigint, @b bigint) RETURNS float
WITH RETURNS NULL ON NULL INPUT AS
BEGIN
    RETURN dbo.bit_agreement(@a, @b);
END;
GO

-- The places in which two strings differ; what a shorter one lacks differs. Compared as bytes:
-- collations hold different characters equal, and LEN leaves spaces at the end out.
CREATE OR ALTER FUNCTION dbo.ham_dist(@a nvarchar(4000), @b nvarchar(4000)) RETURNS int
WITH RETURNS NULL ON NULL INPUT AS
BEGIN
    RETURN ABS(DATALENGTH(@a) - DATALENGTH(@b)) / 2 + (
        SELECT COUNT(*)
        FROM GENERATE_SERIES(1, LEAST(DATALENGTH(@a), DATALENGTH(@b)) / 2) AS place
        WHERE CAST(SUBSTRING(@a, place.value, 1) AS varbinary(2))
           <> CAST(SUBSTRING(@b, place.value, 1) AS varbinary(2))
    );
END;
GO

CREATE OR ALTER FUNCTION dbo.HamDist(@a nvarchar(4000), @b nvarchar(4000)) RETURNS int
WITH RETURNS NULL ON NULL INPUT AS
BEGIN
    RETURN dbo.ham_dist(@a, @b);
END;
GO

-- The 64 bits as 64 binary digits, or as 16 hexadecimal ones; and back. What is none of these is
-- shown in the error that its cast raises.
CREATE OR ALTER FUNCTION dbo.fingerprint_to_bits(@fingerprint bigint) RETURNS char(64)
WITH RETURNS NULL ON NULL INPUT AS
BEGIN
    RETURN (
        SELECT STRING_AGG(CAST(GET_BIT(@fingerprint, place.value) AS char(1)), '')
            WITHIN GROUP (ORDER BY place.value DESC)
        FROM GENERATE_SERIES(0, 63) AS place
    );
END;
GO

CREATE OR ALTER FUNCTION dbo.fingerprint_from_bits(@bits varchar(8000)) RETURNS bigint
WITH RETURNS NULL ON NULL INPUT AS
BEGIN
    RETURN CASE
        WHEN DATALENGTH(@bits) <> 64 OR @bits LIKE '%[^01]%'
        THEN CAST('not 64 binary digits: ' + @bits AS bigint)
        ELSE (
            SELECT SUM(LEFT_SHIFT(CAST(SUBSTRING(@bits, 64 - place.value, 1) AS bigint), place.value))
            FROM GENERATE_SERIES(0, 63) AS place
        )
    END;
END;
GO

CREATE OR ALTER FUNCTION dbo.fingerprint_to_hex(@fingerprint bigint) RETURNS char(16)
WITH RETURNS NULL ON NULL INPUT AS
BEGIN
    RETURN LOWER(CONVERT(char(16), CONVERT(binary(8), @fingerprint), 2));
END;
GO

CREATE OR ALTER FUNCTION dbo.fingerprint_from_hex(@hex varchar(8000)) RETURNS bigint
WITH RETURNS NULL ON NULL INPUT AS
BEGIN
    RETURN CASE
        WHEN DATALENGTH(@hex) <> 16 OR @hex LIKE '%[^0-9A-Fa-f]%'
        THEN CAST('not 16 hexadecimal digits: ' + @hex AS bigint)
        ELSE CONVERT(bigint, CONVERT(binary(8), @hex, 2))
    END;
END;
GO
