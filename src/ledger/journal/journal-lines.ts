import { crc32 } from 'node:zlib'
import type { LeaseOwner } from '../leases/lease-units.ts'

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

/** Closes a line that its writer could not write to its end, and whose requests it has told so. */
export const abandonedEnd = '\t-\n'

export interface OpenedJournal {
  /** The true lines, in order. */
  readonly lines: readonly JournalLine[]
  /** Those that are neither true nor abandoned. */
  readonly damagedTexts: readonly string[]
}

export function openJournal(text: string): OpenedJournal {
  const lines: JournalLine[] = []
  const damagedTexts: string[] = []
  const pieces = text.split('\n')
  for (const [index, piece] of pieces.entries()) {
    // Zeros at the end are room that was taken ahead; elsewhere they are what a loss of power has left.
    const line = piece.replace(/^\0+/, '')
    const isReserve = line === '' && index === pieces.length - 1
    const isHole = line.length < piece.length && !isReserve
    const opened = openLine(line)
    if (opened) lines.push(opened)
    if (isHole || !(opened || isBlank(line))) damagedTexts.push(piece)
  }
  return { lines, damagedTexts }
}

/** The true lines of a journal's text, in order. */
export function openLines(text: string): readonly JournalLine[] {
  return openJournal(text).lines
}

function openLine(line: string): JournalLine | undefined {
  const tab = line.lastIndexOf('\t')
  const kind = line[0]
  const json = line.slice(1, tab)
  if (tab < 1 || (kind !== 'A' && kind !== 'S')) return undefined
  return line.slice(tab + 1) === crc32(json).toString(16) ? { kind, json } : undefined
}

function isBlank(line: string): boolean {
  return line === '' || `${line}\n`.endsWith(abandonedEnd)
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

const damagedPrefix = 'damaged-'

/** The name under which a journal is kept that has damaged lines. */
export function damagedFileName(fileName: string): string {
  return `${damagedPrefix}${fileName}`
}

export function isKeptForDamage(fileName: string): boolean {
  return fileName.startsWith(damagedPrefix)
}

/** Every epoch of a replica that files in a folder are of, those included that are kept because of their damage. */
export function epochsIn(fileNames: readonly string[], replica: string): Set<number> {
  const epochs = new Set<number>()
  for (const name of fileNames) {
    const isKept = isKeptForDamage(name)
    const writer = writerOf(isKept ? name.slice(damagedPrefix.length) : name)
    if (writer?.replica === replica) epochs.add(writer.epoch)
  }
  return epochs
}

/** Of the files of one journal, the later, the higher. */
export function segmentNumberOf(fileName: string): number {
  return Number(/-(\d+)\.log$/.exec(fileName)?.[1])
}

/** Whose a file is, be it a journal or a lock; undefined for a file that is neither. */
export function writerOf(fileName: string): LeaseOwner | undefined {
  const match = /^journal-(.+)-(\d+)(?:-\d+\.log|\.lock)$/.exec(fileName)
  if (match?.[1] === undefined) return undefined
  return { replica: decodeURIComponent(match[1]), epoch: Number(match[2]) }
}
