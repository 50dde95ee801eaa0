/** How often a process announces its demand and reads that of the others. */
export const syncEveryMs = 500
/** The usual time until the others have read an announcement and confirmed it. */
export const exchangeMs = 2 * syncEveryMs
/** The same as the first, while no request has a limit. */
export const idleSyncEveryMs = 1_000
/** A new process waits until the others know of it, but no longer than this. */
export const joinEveryMs = 100
export const joinTriesMax = 15
/** Requests without limits for this long mean that no limit is in use. */
export const idleAfterMs = 60_000
/**
 * A process that the database has not heard of for this long is gone, and the others divide its parts. Processes report
 * every 5 s. A process that has not read its own last report for this long must assume that the others have done so.
 */
export const goneMs = 15_000
/**
 * A process whose last report is older may have lost only the database, so the others do not count as being alone: one
 * that then loses the database itself uses no more than its part of the unknown share. After this time they do.
 */
export const lostMs = 300_000
/**
 * The same as `goneMs` while there are others. A process repeats its row every second, because the requests of a process that has
 * died wait for its parts.
 */
export const beatEveryMs = 1_000
export const leaseMs = 5_000
/** The part of a limit that all processes together use which the others may not know. */
export const unknownShare = 0.1
/** Changes of a fifth or less are not announced; of what is in use, those of a twentieth or less. */
export const changedBy = 0.2
export const occupiedChangedBy = 0.05
/** Announcements are repeated after this time. */
export const repeatMs = 20_000
/**
 * An announcement that was not repeated for this long does not count. Longer than the demand of a minute and the time
 * between repetitions: what a process that is gone has used must count for a minute.
 */
export const forgottenMs = 90_000
/** The limits whose demand one process announces. All further ones are shared equally. */
export const announcedMax = 2_000
/** The announcements of one statement: others read all of them or none. */
export const announcedAtOnce = 300
/** Announcements are read again for this time, because transactions may end out of order. */
export const overlapMs = 5_000
