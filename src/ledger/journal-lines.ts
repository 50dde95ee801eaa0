import { crc32 } from 'node:zlib'
import type { LeaseOwner } from './lease-units.ts'

/** `A` for an admission, `S` for records that the database must get. */
export type LineKind = 'A' | 'S'

export interface JournalLine {
  readonly kind: LineKind
  readonly json: string
}

/** A line ends with a checksum of itself: a torn or damaged one is told from a true one. */
export function sealLine(kind: LineKind, json: string): string {
  return `${kind}${json}\t${crc32(json).toString(16)}\n`
}

/** The true lines of a journal's text, in order. */
export function openLines(text: string): JournalLine[] {
  const lines: JournalLine[] = []
  for (const line of text.split('\n')) {
    const tab = line.lastIndexOf('\t')
    const kind = line[0]
    const json = line.slice(1, tab)
    if (tab < 1 || (kind !== 'A' && kind !== 'S')) continue
    if (line.slice(tab + 1) === crc32(json).toString(16)) lines.push({ kind, json })
  }
  return lines
}

export function journalFileName(owner: LeaseOwner, number: number): string {
  return `${stemOf(owner)}-${number}.log`
}

/** Locked as long as the process lives that writes the journal. */
export function lockFileName(owner: LeaseOwner): string {
  return `${stemOf(owner)}.lock`
}

/** The replica's name may hold any character; its file name may not. */
function stemOf({ replica, epoch }: LeaseOwner): string {
  return `journal-${encodeURIComponent(replica)}-${epoch}`
}

export function isJournalOf(owner: LeaseOwner, fileName: string): boolean {
  const stem = stemOf(owner)
  return fileName.startsWith(`${stem}-`) && /^-\d+\.log$/.test(fileName.slice(stem.length))
}

/** Whose a file is, be it a journal or a lock; undefined for a file that is neither. */
export function writerOf(fileName: string): LeaseOwner | undefined {
  const match = /^journal-(.+)-(\d+)(?:-\d+\.log|\.lock)$/.exec(fileName)
  if (match?.[1] === undefined) return undefined
  return { replica: decodeURIComponent(match[1]), epoch: Number(match[2]) }
}
