import type { AuditAnswer } from '../../contract.ts'
import type { CallOf, ReadyAnswer } from '../../routes/route.ts'
import type { CsvValue } from '../../rows/csv-line.ts'
import { exportRows } from '../../rows/export-rows.ts'
import { findAuditRows } from './audit-log.ts'

type AuditRow = AuditAnswer['rows'][number]

export const auditColumns = [
  'seq',
  'time',
  'actor',
  'actor_name',
  'action',
  'subject',
  'subject_name',
  'before',
  'after',
] as const

/** Exports the audit log, newest first. */
export async function exportAudit(call: CallOf<'GET /operate/audit/export'>): Promise<ReadyAnswer> {
  const { engine } = call.deps
  const { format, ...filters } = call.query
  return exportRows(call, format, {
    name: 'audit',
    columns: auditColumns,
    filters,
    readPage: (from, rowsMax) => findAuditRows(engine, from, rowsMax),
    after: (from, next) => ({ ...from, before: Number(next) }),
    cells,
  })
}

function cells(row: AuditRow): readonly CsvValue[] {
  const values: Readonly<Record<(typeof auditColumns)[number], CsvValue>> = {
    seq: row.seq,
    time: new Date(row.at).toISOString(),
    actor: row.actor,
    actor_name: row.actorName,
    action: row.action,
    subject: row.subject,
    subject_name: row.subjectName,
    before: row.before === null ? null : JSON.stringify(row.before),
    after: row.after === null ? null : JSON.stringify(row.after),
  }
  return auditColumns.map((name) => values[name])
}
