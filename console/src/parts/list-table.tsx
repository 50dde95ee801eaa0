import { Button, Center, Paper } from '@mantine/core'
import type { UseInfiniteQueryResult } from '@tanstack/react-query'
import { DataTable, type DataTableColumn } from 'mantine-datatable'
import { type ReactNode, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { PageError } from './page-error.tsx'

export type ListQuery = Pick<
  UseInfiniteQueryResult,
  'error' | 'refetch' | 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'
>

interface ListTableProps<Row> {
  /** Undefined while the first page is loading. */
  readonly rows: readonly Row[] | undefined
  readonly columns: DataTableColumn<Row>[]
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
  const { rows, columns, idOf, onOpen, empty, query } = props
  // A table has many cells, so it renders again only when its data changes.
  const table = useMemo(
    () => (
      <DataTable<Row>
        withTableBorder
        borderRadius="md"
        highlightOnHover={onOpen !== undefined}
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
        {...(onOpen && {
          rowClassName: 'clickable-row',
          onRowClick: ({ record }: { record: Row }) => onOpen(record),
        })}
      />
    ),
    [rows, columns, idOf, onOpen],
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
