import { Button, Center, Paper } from '@mantine/core'
import type { UseInfiniteQueryResult } from '@tanstack/react-query'
import { DataTable, type DataTableColumn } from 'mantine-datatable'
import { type ReactNode, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { PageError } from '../feedback/page-error.tsx'
import { useNewest } from './use-newest.ts'

export type ListQuery = Pick<
  UseInfiniteQueryResult,
  'error' | 'refetch' | 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'
>

interface ListTableProps<Row> {
  /** Undefined while the first page is loading. */
  readonly rows: readonly Row[] | undefined
  /** Memoized, so that the table does not render with everything around it. */
  readonly columns: DataTableColumn<Row>[]
  /** The function of the first rendering is used. */
  readonly idOf: (row: Row) => string
  readonly onOpen?: (row: Row) => void
  /** Shown in place of the table when there is no row. */
  readonly empty?: ReactNode
  /** The query of the rows. Its error is shown, and its next page can be loaded. */
  readonly query?: ListQuery
}

/** From this number of columns on, cells have less padding. */
const manyColumns = 6

/** Table for lists with empty, loading and error states, and a button for the next page. */
export function ListTable<Row>(props: ListTableProps<Row>) {
  const { t } = useTranslation()
  const { columns, onOpen, empty, query } = props
  const rows = useSameRows(props.rows)
  const [idOf] = useState(() => props.idOf)
  const isClickable = onOpen !== undefined
  const open = useNewest((row: Row) => onOpen?.(row))
  // A table has many cells, so it renders again only when its rows or columns change.
  const table = useMemo(
    () => (
      <DataTable<Row>
        withTableBorder
        borderRadius="md"
        highlightOnHover={isClickable}
        verticalSpacing="xs"
        horizontalSpacing={columns.length > manyColumns ? 'sm' : 'md'}
        minHeight={rows ? 0 : 240}
        fetching={rows === undefined}
        loaderType="dots"
        idAccessor={idOf}
        records={rows ? [...rows] : []}
        columns={columns}
        noRecordsText=""
        noRecordsIcon={<span />}
        {...(isClickable && {
          rowClassName: 'clickable-row',
          onRowClick: ({ record }: { record: Row }) => open(record),
        })}
      />
    ),
    [rows, columns, idOf, isClickable, open],
  )
  return (
    <>
      {query?.error && <PageError error={query.error} reset={() => void query.refetch()} />}
      {rows?.length === 0 && empty !== undefined ? (
        <Paper withBorder>{empty}</Paper>
      ) : (
        !(query?.error && rows === undefined) && table
      )}
      {query?.hasNextPage && (
        <Center mt="md">
          <Button
            variant="default"
            loading={query.isFetchingNextPage}
            onClick={() => void query.fetchNextPage()}
          >
            {t('more')}
          </Button>
        </Center>
      )}
    </>
  )
}

/** The array of the rendering before, as long as it has the same rows. */
function useSameRows<Row>(rows: readonly Row[] | undefined): readonly Row[] | undefined {
  const [held, setHeld] = useState(rows)
  if (held === rows || (held && rows && hasSame(held, rows))) return held
  setHeld(rows)
  return rows
}

function hasSame(rows: readonly unknown[], others: readonly unknown[]): boolean {
  return rows.length === others.length && rows.every((row, index) => row === others[index])
}
