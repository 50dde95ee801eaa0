import { readFindingLine } from '../../../ledger/finding-line.ts'
import type { AuditFinding } from '../../contract.ts'

export function describeFinding(text: string): AuditFinding {
  const found = readFindingLine(text)
  if (!found) return { kind: null, id: '', differenceNano: '0', text }
  return { kind: found.kind, id: found.id, differenceNano: String(found.differenceNano), text }
}
