"use strict";
// A file that is dropped on the page is asked about; everything else works without this.
const form = document.getElementById("ask");
if (form) {
  const over = (event, on) => {
    event.preventDefault();
    document.body.classList.toggle("over", on);
  };
  document.addEventListener("dragover", (event) => over(event, true));
  document.addEventListener("dragleave", (event) => over(event, false));
  document.addEventListener("drop", (event) => {
    over(event, false);
    if (event.dataTransfer.files.length) {
      form.elements.file.files = event.dataTransfer.files;
      form.requestSubmit();
    }
  });
  form.elements.text.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });
}
const found = document.getElementById("found");
if (found) found.focus();
