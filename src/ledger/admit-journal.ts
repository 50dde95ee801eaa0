import type { HoldStory } from './ledger.ts'

/** What is written down before a request is forwarded, so that a killed process leaves a trace of it. Ids and numbers only. */
export interface AdmitRecord {
  readonly requestId: string
  readonly accountId: string
  readonly keyId: string
  readonly leaseId: string
  readonly recoveryNano: string
  readonly story: HoldStory
}

export interface AdmitJournal {
  /** Written when this returns; throws when it cannot be. The returned function says that the request is settled. */
  admit(record: AdmitRecord): () => void
  close(): void
}
