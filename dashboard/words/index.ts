// What pages take from this folder.
export * from './moment';
export * from './now';
export * from './options';
export * from './percent';
export * from './person';
export * from './phone';
export * from './text';
export * from './typed-times';
export * from './week';
