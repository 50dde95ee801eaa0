/** States of a message that the gateway sends by email or to a webhook. */
export const messageStates = ['waiting', 'sent', 'failed'] as const
