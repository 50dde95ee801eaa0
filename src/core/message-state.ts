/** States of a message that the gateway sends by email or to a webhook. */
export const messageStates = ['waiting', 'sent', 'failed'] as const

/** How a message leaves the gateway. */
export const channels = ['email', 'webhook', 'slack'] as const
export type Channel = (typeof channels)[number]
