import { Table } from '@mantine/core'
import type { ReactNode } from 'react'

export function Facts({ facts }: { facts: readonly (readonly [string, ReactNode])[] }) {
  return (
    <Table
      bg="var(--mantine-color-body)"
      variant="vertical"
      withTableBorder
      fz="sm"
      verticalSpacing={6}
      layout="fixed"
    >
      <Table.Tbody>
        {facts
          .filter(([, value]) => value !== null)
          .map(([name, value]) => (
            <Table.Tr key={name}>
              <Table.Th w="38%" fw={400} c="dimmed">
                {name}
              </Table.Th>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>{value}</Table.Td>
            </Table.Tr>
          ))}
      </Table.Tbody>
    </Table>
  )
}
