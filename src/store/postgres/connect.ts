import { SQL } from 'bun'

const connectTimeoutSeconds = 10

/** A pool of connections; the first is made when it is needed. */
export function connect(url: string, connectionsMax: number): SQL {
  return new SQL(url, {
    bigint: true,
    max: connectionsMax,
    connectionTimeout: connectTimeoutSeconds,
  })
}
