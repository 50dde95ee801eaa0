import { Paper, Table, Text } from '@mantine/core'
import type { ReactNode } from 'react'

interface StatementTableProps {
  readonly heads: readonly string[]
  readonly rows: readonly { readonly id: string; readonly cells: readonly ReactNode[] }[]
  readonly total?: readonly ReactNode[]
  readonly empty: string
  /** How many columns on the right are figures. */
  readonly figures?: number
}

/** Table of a statement: texts on the left, figures on the right, the total in the last row. */
export function StatementTable({ heads, rows, total, empty, figures = 1 }: StatementTableProps) {
  if (rows.length === 0) {
    return (
      <Paper withBorder p="md">
        <Text size="sm" c="dimmed">
          {empty}
        </Text>
      </Paper>
    )
  }
  const alignOf = (index: number) => (index >= heads.length - figures ? 'right' : 'left')
  const cellsOf = (cells: readonly ReactNode[]) =>
    cells.map((cell, index) => (
      <Table.Td
        key={heads[index]}
        ta={alignOf(index)}
        className={alignOf(index) === 'right' ? 'figures' : ''}
      >
        {cell}
      </Table.Td>
    ))
  return (
    <Paper withBorder style={{ overflow: 'auto' }}>
      <Table verticalSpacing={7} horizontalSpacing="md" fz="sm">
        <Table.Thead>
          <Table.Tr>
            {heads.map((head, index) => (
              <Table.Th key={head} ta={alignOf(index)}>
                {head}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ id, cells }) => (
            <Table.Tr key={id}>{cellsOf(cells)}</Table.Tr>
          ))}
          {total && <Table.Tr fw={600}>{cellsOf(total)}</Table.Tr>}
        </Table.Tbody>
      </Table>
    </Paper>
  )
}
