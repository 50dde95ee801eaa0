/** The owners for which the metrics count separately. */
export const metricsOwners = ['off', 'accounts', 'keys'] as const
export type MetricsOwners = (typeof metricsOwners)[number]
