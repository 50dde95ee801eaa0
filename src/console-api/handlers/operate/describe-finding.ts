import { findingLine, type StoredFinding } from '../../../ledger/audit/finding-line.ts'
import type { AuditFinding } from '../../contract.ts'

export function describeFinding(finding: StoredFinding): AuditFinding {
  const text = findingLine(finding)
  if (finding.kind === null) return { kind: null, id: '', differenceNano: '0', text }
  const { kind, id, differenceNano } = finding
  return { kind, id, differenceNano: String(differenceNano), text }
}
