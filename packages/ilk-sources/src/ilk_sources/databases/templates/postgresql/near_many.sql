-- The same for many fingerprints at once; one that is given twice is answered once.
CREATE OR REPLACE FUNCTION {{near_many}}(queries bigint[], radius integer)
RETURNS TABLE (query bigint, id {{table}}.{{id}}%TYPE, distance integer)
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT given.query, found.id, found.distance
    FROM (SELECT DISTINCT unnest($1)) AS given(query)
    CROSS JOIN LATERAL {{near}}(given.query, $2) AS found;
END;
