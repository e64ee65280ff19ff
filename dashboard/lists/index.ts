// What pages take from this folder.
export * from './export-button';
export * from './filter-day';
export * from './filters';
export * from './list-export';
export * from './list-page';
export * from './loaded-list';
export * from './narrow';
export * from './plain-list';
export * from './record-list';
export * from './records';
export * from './saved-views';
export * from './sorting';
export * from './spreadsheet';
export * from './total';
export * from './use-filters';
export * from './use-list';
