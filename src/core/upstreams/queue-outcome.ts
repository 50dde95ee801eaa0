/** How a wait for a free upstream ended. `full`: there was no room to wait. */
export type QueueOutcome = 'served' | 'timeout' | 'client_gone' | 'draining' | 'full'
