import { DependencyUnavailable } from '../../core/fault.ts'
import {
  ConnectionStale,
  DatabaseTimeout,
  RefusedStoreError,
  TransientStoreError,
} from '../engine.ts'

const serializationFailure = '40001'
const deadlockDetected = '40P01'
const readOnlyTransaction = '25006'
const idleInTransaction = '25P03'
const queryCanceled = '57014'

/**
 * Error classes that pass with time: a password that was just changed, insufficient resources, a state or lock that does
 * not allow the operation now, and errors of the server's system.
 */
const passingClasses = ['25', '28', '53', '55', '58']

/** Data exceptions and constraint violations: only the values can cause them. */
const refusedClasses = ['22', '23']

/**
 * Classifies errors. Deadlocks, lost connections, read-only sessions, and a server that starts or stops: an immediate
 * retry on a new connection helps. Errors caused by the values of a statement: a retry never helps. All others (a full
 * disk, a timeout, too few connections) pass with time.
 */
export function readPostgresError(error: unknown): Error {
  if (!(error instanceof Error)) return new Error(String(error))
  if (error instanceof DependencyUnavailable || error instanceof RefusedStoreError) return error
  const code = 'code' in error ? String(error.code) : ''
  const sqlState = sqlStateOf(error)
  if (sqlState === queryCanceled || code === 'ERR_POSTGRES_CONNECTION_TIMEOUT')
    return new DatabaseTimeout(error.message, { cause: error })
  if (isStale(error)) return new ConnectionStale(error.message, { cause: error })
  const isTransient =
    sqlState === serializationFailure ||
    sqlState === deadlockDetected ||
    sqlState === idleInTransaction ||
    code === 'ERR_POSTGRES_IDLE_TIMEOUT'
  if (isTransient) return new TransientStoreError(error.message, { cause: error })
  const kind = sqlState.length === 5 ? sqlState.slice(0, 2) : ''
  if (refusedClasses.includes(kind)) return new RefusedStoreError(error.message, { cause: error })
  return passingClasses.includes(kind)
    ? new DependencyUnavailable(error.message, { cause: error })
    : error
}

/** A read-only session stays read-only, and on its server, for its whole life. */
export function isReadOnlySession(error: unknown): boolean {
  return sqlStateOf(error) === readOnlyTransaction
}

/**
 * Whether all connections of the same age will most likely fail as well: the server ends its sessions, starts, stops,
 * has closed a connection, or has changed its role in a failover.
 */
export function isStale(error: unknown): boolean {
  const sqlState = sqlStateOf(error)
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return (
    error instanceof ConnectionStale ||
    sqlState === readOnlyTransaction ||
    sqlState.startsWith('08') ||
    sqlState.startsWith('57P') ||
    code.startsWith('ERR_POSTGRES_CONNECTION') ||
    code === 'ECONNREFUSED'
  )
}

function sqlStateOf(error: unknown): string {
  return error instanceof Error && 'errno' in error ? String(error.errno) : ''
}

/**
 * Whether the error comes from the server itself, so the server is reachable. A server that starts or stops counts as
 * unreachable.
 */
export function isAnswer(error: unknown): boolean {
  const sqlState = sqlStateOf(error)
  return /^[0-9A-Z]{5}$/.test(sqlState) && !sqlState.startsWith('57P') && !sqlState.startsWith('08')
}
