/** The classes of requests that wait for an upstream, most urgent first. */
export const priorities = ['high', 'normal', 'low'] as const
export type Priority = (typeof priorities)[number]
