-- The tables of version 0.1.0, and a small project.
CREATE TABLE projects ( id INTEGER NOT NULL, name TEXT NOT NULL, created TEXT NOT NULL, PRIMARY KEY (id), UNIQUE (name) );
CREATE TABLE items ( id INTEGER NOT NULL, project INTEGER NOT NULL, name TEXT NOT NULL, track TEXT NOT NULL, kind TEXT NOT NULL, length FLOAT NOT NULL, units TEXT, attributes TEXT NOT NULL, PRIMARY KEY (id), UNIQUE (project, name, track), FOREIGN KEY(project) REFERENCES projects (id) ON DELETE CASCADE );
CREATE INDEX ix_items_project ON items (project);
CREATE TABLE annotations ( id INTEGER NOT NULL, item INTEGER NOT NULL, coder TEXT NOT NULL, head INTEGER NOT NULL, version INTEGER NOT NULL, origin TEXT NOT NULL, PRIMARY KEY (id), UNIQUE (item, coder), FOREIGN KEY(item) REFERENCES items (id) ON DELETE CASCADE );
CREATE INDEX ix_annotations_item ON annotations (item);
CREATE TABLE comments ( id INTEGER NOT NULL, item INTEGER NOT NULL, position FLOAT, author TEXT NOT NULL, text TEXT NOT NULL, time TEXT NOT NULL, PRIMARY KEY (id), FOREIGN KEY(item) REFERENCES items (id) ON DELETE CASCADE );
CREATE INDEX ix_comments_item ON comments (item);
CREATE TABLE revisions ( id INTEGER NOT NULL, annotation INTEGER NOT NULL, parent INTEGER, marks TEXT NOT NULL, operation TEXT NOT NULL, author TEXT NOT NULL, time TEXT NOT NULL, PRIMARY KEY (id), FOREIGN KEY(annotation) REFERENCES annotations (id) ON DELETE CASCADE );
CREATE INDEX ix_revisions_annotation ON revisions (annotation);
INSERT INTO projects (id, name, created) VALUES (1, 'poems', '2026-11-15T10:00:00+00:00');
INSERT INTO items (id, project, name, track, kind, length, units, attributes) VALUES (1, 1, 'kubla', '', 'units', 4.0, '["so", "twice", "five", "miles"]', '{}');
INSERT INTO annotations (id, item, coder, head, version, origin) VALUES (1, 1, 'ann', 1, 1, 'file a.json');
INSERT INTO annotations (id, item, coder, head, version, origin) VALUES (2, 1, 'gold', 3, 2, 'unified by majority: ann');
INSERT INTO revisions (id, annotation, parent, marks, operation, author, time) VALUES (1, 1, NULL, '{"positions": [2]}', '{"kind": "import"}', '', '2026-11-15T10:00:00+00:00');
INSERT INTO revisions (id, annotation, parent, marks, operation, author, time) VALUES (2, 2, NULL, '{"positions": [2]}', '{"kind": "unify"}', '', '2026-11-15T10:01:00+00:00');
INSERT INTO revisions (id, annotation, parent, marks, operation, author, time) VALUES (3, 2, 2, '{"positions": [1, 2]}', '{"kind": "add", "position": 1}', 'judy', '2026-11-15T10:02:00+00:00');
INSERT INTO comments (id, item, position, author, text, time) VALUES (1, 1, 2.0, 'judy', 'why here?', '2026-11-15T10:03:00+00:00');
