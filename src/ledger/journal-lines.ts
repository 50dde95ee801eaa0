import { crc32 } from 'node:zlib'
import type { LeaseOwner } from './lease-units.ts'

/** A line ends with a checksum of itself: a torn or damaged one is told from a true one. */
export function sealLine(json: string): string {
  return `${json}\t${crc32(json).toString(16).padStart(8, '0')}\n`
}

/** The true lines of a journal's text, in order. */
export function openLines(text: string): string[] {
  const lines: string[] = []
  for (const line of text.split('\n')) {
    const tab = line.lastIndexOf('\t')
    const json = line.slice(0, tab)
    if (tab > 0 && line.slice(tab + 1) === crc32(json).toString(16).padStart(8, '0'))
      lines.push(json)
  }
  return lines
}

/** The replica's name may hold any character; its file name may not. */
function prefixOf(replica: string): string {
  return `admits-${encodeURIComponent(replica)}-`
}

export function journalFileName(owner: LeaseOwner, number: number): string {
  return `${prefixOf(owner.replica)}${owner.epoch}-${number}.log`
}

/** Whether a file was written by an earlier life of this replica. */
export function isEarlierJournal(fileName: string, owner: LeaseOwner): boolean {
  const prefix = prefixOf(owner.replica)
  if (!fileName.startsWith(prefix)) return false
  const epoch = /^(\d+)-\d+\.log$/.exec(fileName.slice(prefix.length))?.[1]
  return epoch !== undefined && Number(epoch) < owner.epoch
}
