-- The same for many fingerprints at once, a JSON array; one that is given twice is answered once.
CREATE OR ALTER FUNCTION {{near_many}}(@queries nvarchar(max), @radius int) RETURNS TABLE AS RETURN
SELECT given.query, found.id, found.distance
FROM (SELECT DISTINCT query FROM OPENJSON(@queries) WITH (query bigint '$')) AS given
CROSS APPLY {{near}}(given.query, @radius) AS found;
GO
