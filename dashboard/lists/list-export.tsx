import { sayFailed } from '#parts';
import { t } from '#texts';
import { locale } from '../language';
import type { Value } from './csv-cell';
import { ExportButton } from './export-button';
import { spreadsheet } from './spreadsheet';

interface ReadPage<Row> {
  data: { items: Row[]; nextCursor: string | null };
}

/** More than anybody looks through; what a program wants, it reads over the API. */
const MAX_ROWS = 10_000;
const PAGE = 200;

interface ListExportProps<Row> {
  /** Of the file, without its ending. */
  name: string;
  read: (page: { limit: number; cursor?: string }) => Promise<ReadPage<Row>>;
  /** What of it the list shows, where the service does not have the filter. */
  keep?: (row: Row) => boolean;
  columns: Record<string, (row: Row) => Value>;
}

/** Saves what a list shows with its filters, all pages of it, as CSV. */
export function ListExport<Row>({ name, read, keep = () => true, columns }: ListExportProps<Row>) {
  const file = async () => {
    const rows: Row[] = [];
    let cursor: string | undefined;
    do {
      const { data } = await read({ limit: PAGE, cursor });
      rows.push(...data.items.filter(keep));
      cursor = data.nextCursor ?? undefined;
    } while (cursor !== undefined && rows.length < MAX_ROWS);
    if (cursor !== undefined) {
      sayFailed({
        message: t`The file holds the first ${MAX_ROWS.toLocaleString(locale)} rows. Filter the list to get others.`,
      });
    }
    return { name: `${name}.csv`, text: await spreadsheet(columns, rows), type: 'text/csv' };
  };
  return <ExportButton label={t`Export as CSV`} file={file} />;
}
