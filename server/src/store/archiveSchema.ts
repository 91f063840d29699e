/**
 * The folder of the archive, and the files in it that belong to the store. An event is either in
 * `raw.events` or in one of these files. It moves in one transaction. `snapshot` is the one that the store has taken
 * over of an archive that several stores share.
 */
export const archiveSchema = `
CREATE TABLE analytics.raw.archive (id VARCHAR NOT NULL, folder VARCHAR NOT NULL, snapshot BIGINT);
CREATE TABLE analytics.raw.archived_files (
  file VARCHAR NOT NULL, environment VARCHAR NOT NULL, day DATE NOT NULL, events BIGINT NOT NULL
);`

/** The view of all events, those in the table and those in the archive, with the columns of the table. */
export const allEvents = 'analytics.raw.all_events'

/**
 * That view for answers about a range of `timestamp`. By `received_at` it leaves no file out: for that each question
 * would read the column of all its events, and take longer to plan.
 */
export const timedEvents = 'analytics.raw.timed_events'
