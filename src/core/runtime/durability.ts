/** The condition that a response waits for before its last byte is sent. */
export const durabilities = ['journal', 'fsync', 'database'] as const
export type Durability = (typeof durabilities)[number]
