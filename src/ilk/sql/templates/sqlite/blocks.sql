-- Two fingerprints within 3 bits agree in one of four blocks of 16 bits; within 7 bits, in all but
-- one bit of such a block. Each block has an index, which holds all that a search looks at.
CREATE INDEX {{index0}} ON {{table}} ({{column}} & 65535, {{column}}, {{id}});
CREATE INDEX {{index1}} ON {{table}} (({{column}} >> 16) & 65535, {{column}}, {{id}});
CREATE INDEX {{index2}} ON {{table}} (({{column}} >> 32) & 65535, {{column}}, {{id}});
CREATE INDEX {{index3}} ON {{table}} (({{column}} >> 48) & 65535, {{column}}, {{id}});
