/**
 * The files of the archive that count, by their paths in its folder, and which folder that is. An event
 * is in `raw.events` or in one of these files; what changes that is one transaction.
 */
export const archiveSchema = `
CREATE TABLE analytics.raw.archive (id VARCHAR NOT NULL, folder VARCHAR NOT NULL);
CREATE TABLE analytics.raw.archived_files (
  file VARCHAR NOT NULL, environment VARCHAR NOT NULL, day DATE NOT NULL, events BIGINT NOT NULL
);`

/** The view of all events, of the table and of the archive, with the columns of the table. */
export const allEvents = 'analytics.raw.all_events'
