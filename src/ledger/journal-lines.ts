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

/** The replica's name may hold any character; its file name may not. */
export function journalFileName({ replica, epoch }: LeaseOwner, number: number): string {
  return `journal-${encodeURIComponent(replica)}-${epoch}-${number}.log`
}

/** Who has written a journal file; undefined for a file that is none. */
export function writerOf(fileName: string): LeaseOwner | undefined {
  const match = /^journal-(.+)-(\d+)-\d+\.log$/.exec(fileName)
  if (match?.[1] === undefined) return undefined
  return { replica: decodeURIComponent(match[1]), epoch: Number(match[2]) }
}
