-- The same for many fingerprints at once; one that is given twice is answered once.
CREATE OR REPLACE VIEW {{near_many}} AS
SELECT given.query AS query, d.{{id}} AS id, hamming_distance(d.{{column}}, given.query) AS distance
FROM {{table}} AS d
CROSS JOIN (SELECT DISTINCT arrayJoin({queries:Array(Int64)}) AS query) AS given
WHERE hamming_distance(d.{{column}}, given.query) <= {radius:Int64};
