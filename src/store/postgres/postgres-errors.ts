import { TransientStoreError } from '../engine.ts'

const serializationFailure = '40001'
const deadlockDetected = '40P01'

/** Deadlocks, lost connections and a server that starts or stops are cured by trying again. */
export function readPostgresError(error: unknown): Error {
  if (!(error instanceof Error)) return new Error(String(error))
  const code = 'code' in error ? String(error.code) : ''
  const sqlState = 'errno' in error ? String(error.errno) : ''
  const isTransient =
    sqlState === serializationFailure ||
    sqlState === deadlockDetected ||
    sqlState.startsWith('08') ||
    sqlState.startsWith('57P') ||
    code.startsWith('ERR_POSTGRES_CONNECTION') ||
    code === 'ECONNREFUSED' ||
    code === 'ERR_POSTGRES_IDLE_TIMEOUT'
  return isTransient ? new TransientStoreError(error.message, { cause: error }) : error
}
