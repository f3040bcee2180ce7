/** How the entries of a log are stored (docs/disk-format.md). A log holds entries of one format. */
export type RecordFormat = 'mykafka' | 'kafka'

export const RECORD_FORMATS: readonly RecordFormat[] = ['mykafka', 'kafka']
