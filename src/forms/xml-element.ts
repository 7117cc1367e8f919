/** One element of a small document. Names are local; text is that of the element itself, joined. */
export type XmlElement = {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  text: string;
  readonly children: XmlElement[];
};
