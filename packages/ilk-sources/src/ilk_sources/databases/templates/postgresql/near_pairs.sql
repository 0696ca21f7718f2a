-- All pairs of rows within the radius, 3 bits at most. Of five blocks (bits 0-12, 13-25, 26-38,
-- 39-51, 52-63) three bits leave two as they are: pairs are those rows that agree in one of ten
-- pairs of blocks, each a mask here, and then in all but so many bits.
CREATE OR REPLACE FUNCTION {{near_pairs}}(radius integer)
RETURNS TABLE (left_id {{table}}.{{id}}%TYPE, right_id {{table}}.{{id}}%TYPE, distance integer)
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT found.left_id, found.right_id, found.distance FROM (
        {{each mask, UNION}}
        SELECT a.{{id}}, b.{{id}}, hamming_distance(a.{{column}}, b.{{column}})
        FROM {{table}} AS a JOIN {{table}} AS b
          ON a.{{column}} & {{mask}}
           = b.{{column}} & {{mask}} AND a.{{id}} < b.{{id}}
        WHERE hamming_distance(a.{{column}}, b.{{column}}) <= $1
        {{end}}
    ) AS found(left_id, right_id, distance)
    WHERE CASE WHEN $1 <= 3 THEN true ELSE fingerprint_refused(
        'these blocks find all pairs up to 3 bits, but not all up to ' || $1
    ) IS NULL END;
END;
