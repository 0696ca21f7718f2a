-- Two fingerprints within 3 bits agree in one of four blocks of 16 bits; within 7 bits, in all but
-- one bit of such a block. Each block has an index, which holds all that a search looks at: rows
-- with their texts stay where they are.
CREATE INDEX {{index0}} ON {{table}} (({{column}} & 65535)) INCLUDE ({{column}}, {{id}});
CREATE INDEX {{index1}} ON {{table}} ((({{column}} >> 16) & 65535)) INCLUDE ({{column}}, {{id}});
CREATE INDEX {{index2}} ON {{table}} ((({{column}} >> 32) & 65535)) INCLUDE ({{column}}, {{id}});
CREATE INDEX {{index3}} ON {{table}} ((({{column}} >> 48) & 65535)) INCLUDE ({{column}}, {{id}});
-- Without statistics of these expressions no index is chosen.
ANALYZE {{table}};
